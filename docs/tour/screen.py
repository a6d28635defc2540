"""Converts the output of "tmux capture-pane -e -p", 80 x 24 characters, to an SVG picture (needs pip install rich)."""

import io
import sys

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PAPER, INK = (24, 26, 31), (222, 222, 218)
THEME = TerminalTheme(
    PAPER, INK,
    [(60, 60, 60), (232, 100, 90), (110, 190, 110), (220, 180, 90), (100, 150, 235), (200, 130, 200), (90, 190, 200), (210, 210, 210)],
    [(120, 120, 120), (255, 130, 120), (140, 220, 140), (245, 210, 120), (130, 175, 255), (225, 160, 225), (120, 215, 225), (255, 255, 255)])

PAGE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="-9 -9 994 604" width="696" height="423">
<style>
.{unique_id}-matrix {{ font-family: DejaVu Sans Mono, Menlo, Consolas, monospace; font-size: {char_height}px; white-space: pre }}
{styles}
</style>
<defs>
{lines}
</defs>
<rect x="-9" y="-9" width="994" height="604" rx="8" fill="rgb(24,26,31)"/>
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</svg>
"""

screen = Console(width=80, height=24, record=True, file=io.StringIO(), force_terminal=True, color_system="truecolor")
screen.print(Text.from_ansi(sys.stdin.read()), end="", no_wrap=True, highlight=False)
sys.stdout.write(screen.export_svg(theme=THEME, code_format=PAGE, unique_id="tour"))

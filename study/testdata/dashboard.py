"""Prints what optuna-dashboard answers about a storage, as one JSON object.

    python dashboard.py URL
"""
import io
import json
import logging
import sys
import warnings
from wsgiref.util import setup_testing_defaults

warnings.simplefilter("ignore")
import optuna_dashboard

logging.disable()
app = optuna_dashboard.wsgi(sys.argv[1])


def ask(method, path, body=None):
    """Returns the status and the text of an answer."""
    raw = json.dumps(body).encode()
    request = {"REQUEST_METHOD": method, "PATH_INFO": path, "wsgi.input": io.BytesIO(raw), "wsgi.errors": io.StringIO(),
               "CONTENT_LENGTH": str(len(raw)), "CONTENT_TYPE": "application/json"}
    setup_testing_defaults(request)
    status = []
    text = b"".join(app(request, lambda s, *_: status.append(int(s[:3]))))
    return status[0], text.decode()


studies = json.loads(ask("GET", "/api/studies")[1])["study_summaries"]
study = "/api/studies/%d" % studies[0]["study_id"]
trials = json.loads(ask("GET", study)[1])["trials"]
running = [t["trial_id"] for t in trials if t["state"] == "Running"]
changes = [("POST", "/api/trials/%d/tell" % i, {"state": "Fail"}) for i in running]
changes += [("PUT", study + "/note", {"body": "a note", "version": 1}), ("POST", study + "/rename", {"study_name": "another"}), ("DELETE", study, None)]
json.dump({"studies": studies, "trials": trials, "changes": [ask(*c)[0] for c in changes]}, sys.stdout)

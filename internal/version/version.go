// Package version returns the version of the running program.
package version

import "runtime/debug"

// Text returns the module's version and revision: "v1.2.3 (0123456789ab)".
func Text() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return Of(info)
}

// Of returns the version and revision of a build: twelve digits of the revision, and a note if files were modified.
func Of(info *debug.BuildInfo) string {
	v, revision, dirty := info.Main.Version, "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = ", modified"
		}
	}
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	if revision == "" {
		return v
	}
	return v + " (" + revision + dirty + ")"
}

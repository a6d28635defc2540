package main

import (
	"cmp"
	"fmt"
	"strings"

	"dpworkbench/internal/data"

	"github.com/spf13/cobra"
)

// newDataCommand returns workbench data.
func newDataCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "data [NAME...]",
		Short: "List the data sets: source, licence, checksum, and what is present",
		Long: `List the data sets that dataset(name) knows: source, licence, checksum, and what
is present in --data, $WORKBENCH_DATA or the user's cache folder, in this order.
A file whose SHA-256 is not the registered one is reported as altered. For sets
without a registered SHA-256, any file of the expected name is accepted; the list
says where to obtain them and where to put them.

Exit status: 0 done, 1 a named set is absent or altered, 2 wrong usage.`,
		Example: `  workbench data
  workbench data karate bupa --data ~/data`,
		RunE: func(_ *cobra.Command, names []string) error { return listData(dataDirs(o.data), names) },
	}
}

// listData prints the state of the named data sets, or of all data sets if none is named.
func listData(dirs, names []string) error {
	sets := data.Sets()
	if len(names) > 0 {
		sets = nil
		for _, name := range names {
			s, err := data.Find(name)
			if err != nil {
				return err
			}
			sets = append(sets, s)
		}
	}
	fmt.Fprintf(stdout, "folders: %s\n", strings.Join(dirs, ", "))
	unfit := 0
	for _, s := range sets {
		state, fit := stateOf(s, dirs)
		if !fit {
			unfit++
		}
		fmt.Fprintf(stdout, "\n%s: %s\n  file     %s (%s)\n  source   %s\n  licence  %s\n  sha256   %s\n", s.Name, s.Description, s.Path, state, s.Source, s.Licence, cmp.Or(s.SHA256, "none registered: any file is accepted"))
		if s.Way() != "" {
			fmt.Fprintf(stdout, "  get      %s\n", s.Way())
		}
	}
	if len(names) > 0 && unfit > 0 {
		return &failure{fmt.Errorf("%d of %d data sets are absent or altered", unfit, len(sets))}
	}
	return nil
}

// stateOf describes where a data set is. fit reports whether it matches its registered checksum.
func stateOf(s data.Set, dirs []string) (state string, fit bool) {
	path, err := s.Locate(dirs)
	if err != nil {
		return "absent", false
	}
	switch intact, err := s.Verify(path); {
	case err != nil:
		return err.Error(), false
	case s.SHA256 == "":
		return "not compared: " + path, true
	case intact:
		return path, true
	}
	return "altered: " + path, false
}

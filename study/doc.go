// Package study searches parameters: it runs an objective trial after trial, stores every trial in a database, and
// proposes the next parameters from the trials so far.
//
// Any number of goroutines, processes and machines may work on one study, identified by its name and the URL of its
// storage, with these guarantees:
//
//   - A trial's number is unique, and a trial is finished once. A worker holds a trial with a heartbeat in the
//     database. A trial whose heartbeat has stopped is marked failed by another worker and repeated with the same
//     parameters.
//   - A proposal is a function of the seed, the trial's number and the finished trials, never of the state of a
//     process. So workers with one seed never propose the same point twice, and a study with one worker that is
//     interrupted and resumed runs the same trials as without the interruption.
//   - A value that is not a finite number fails its trial; it is stored as NULL.
//
// The tables are those of goptuna v0.9.0 (rdb.v2), which follow Optuna's: studies, trials, trial_params and the
// attributes. The package adds system attributes of trials, named "workbench:…".
package study

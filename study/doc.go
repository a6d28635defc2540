// Package study searches parameters: it runs an objective trial after trial,
// keeps every trial in a database, and proposes the next parameters from the
// trials so far.
//
// Any number of goroutines, processes and machines may work on one study, by
// its name and the URL of its storage. What holds then:
//
//   - A trial's number is unique, and a trial is finished once. Whoever takes a
//     trial holds it by a beat in the database; a trial whose beat has stopped
//     is marked failed by another worker and repeated with the same parameters.
//   - A proposal is a function of the seed, the trial's number and the finished
//     trials, never of the state of a process. So workers with one seed never
//     propose the same point twice, and a study with one worker that is
//     interrupted and resumed runs the trials of one that was not.
//   - A value that is not a finite number fails its trial; it is stored as NULL.
//
// The tables are those of goptuna v0.9.0 (rdb.v2), which follow Optuna's: studies,
// trials, trial_params and the attributes. What the package adds are system
// attributes of trials, named "workbench:…".
package study

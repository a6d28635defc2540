package repl

import (
	"context"

	"dpworkbench/script"
	"dpworkbench/study"
)

// Session is a session with the workbench's vocabulary.
type Session struct {
	*script.Session

	// Study overrides what scripts say about their studies.
	Study StudyFlags

	// Shard, if set, is the part of a script's sweep that this process computes.
	Shard *Shard

	// ManySweeps allows more than one sweep. It is set if the session does not run a single script, whose sweep may be
	// divided among processes.
	ManySweeps bool

	storages map[string]*study.Storage // open storages by URL
	studies  []*study.Study
	swept    bool // a sweep has begun
}

// NewSession returns a session with the workbench's vocabulary.
func NewSession() *Session {
	s := &Session{Session: script.New(vocabulary()), storages: make(map[string]*study.Storage)}
	s.Owner = s
	return s
}

// own returns the workbench's session of a call.
func own(c *script.Call) *Session { return c.Session.Owner.(*Session) }

// Forget implements script.Owner.
func (s *Session) Forget() { s.swept = false }

// StudyFlags override what a script says about its studies.
type StudyFlags struct {
	Storage, Sampler       string
	Trials, Total, Workers int
	Keep                   bool // record the studies for Session.Studies
}

// openStorage returns the storage at url. A session has one connection to each. In memory every study has its own
// storage.
func (s *Session) openStorage(ctx context.Context, url string) (*study.Storage, error) {
	if st := s.storages[url]; st != nil {
		return st, nil
	}
	st, err := study.Open(ctx, url, study.StorageOptions{})
	if err == nil && url != "" {
		s.storages[url] = st
	}
	return st, err
}

// Reach opens the storage of Study, if any, so that an unreachable storage is reported before a script starts its work.
func (s *Session) Reach(ctx context.Context) error {
	if s.Study.Storage == "" {
		return nil
	}
	_, err := s.openStorage(ctx, s.Study.Storage)
	return err
}

// Close closes the session's storages and files.
func (s *Session) Close() {
	for _, st := range s.storages {
		_ = st.Close() // a trial is committed when it ends, so nothing is lost
	}
	clear(s.storages)
	s.studies = nil
	s.Session.Close()
}

// Studies returns the studies that the session has made, if Study.Keep is set.
func (s *Session) Studies() []*study.Study { return s.studies }

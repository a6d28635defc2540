package repl

import (
	"context"

	"dpworkbench/script"
	"dpworkbench/study"
)

// Session is a session that speaks the workbench's vocabulary.
type Session struct {
	*script.Session

	// Study takes the place of what scripts say about their studies.
	Study StudyFlags

	// Shard, where set, is the part of its sweep that a script computes.
	Shard *Shard

	// ManySweeps says that what the session runs is no script, whose one sweep has parts.
	ManySweeps bool

	storages map[string]*study.Storage // open, by URL
	studies  []*study.Study
	swept    bool // a sweep has begun
}

// NewSession returns a session with the workbench's vocabulary.
func NewSession() *Session {
	s := &Session{Session: script.New(vocabulary()), storages: make(map[string]*study.Storage)}
	s.Owner = s
	return s
}

// own returns the session that a call belongs to.
func own(c *script.Call) *Session { return c.Session.Owner.(*Session) }

// Forget implements script.Owner.
func (s *Session) Forget() { s.swept = false }

// StudyFlags take the place of what a script says about its studies, where
// they are set.
type StudyFlags struct {
	Storage, Sampler       string
	Trials, Total, Workers int
	Keep                   bool // Session.Studies is wanted
}

// openStorage returns the storage at url, one connection a session. In memory
// every study has its own.
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

// Reach opens the storage that Study names, if any: a storage that cannot be
// reached is told before a script has done its work.
func (s *Session) Reach(ctx context.Context) error {
	if s.Study.Storage == "" {
		return nil
	}
	_, err := s.openStorage(ctx, s.Study.Storage)
	return err
}

// Close closes what the session holds open.
func (s *Session) Close() {
	for _, st := range s.storages {
		_ = st.Close() // a trial is committed when it ends: nothing is left to lose
	}
	clear(s.storages)
	s.studies = nil
	s.Session.Close()
}

// Studies returns the studies that the session has made, where Study.Keep is
// set.
func (s *Session) Studies() []*study.Study { return s.studies }

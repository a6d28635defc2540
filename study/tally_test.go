package study

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// While two processes change the trials of two studies, and another deletes all trials of one, updating known counts
// gives the same result as counting from scratch.
func TestTallyUpdates(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		file := filepath.Join(t.TempDir(), "study.db")
		var storages [2]*Storage
		for i := range storages {
			s, err := Open(ctx, file, StorageOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			storages[i] = s
		}
		for _, name := range []string{"a", "b"} {
			if _, _, err := storages[0].ensure(ctx, name, "minimize"); err != nil {
				t.Fatal(err)
			}
		}
		running := map[int][]begun{}
		advanced := false
		for step := range 120 {
			study, s := 1+r.IntN(2), storages[r.IntN(2)]
			held := running[study]
			switch move := r.IntN(8); {
			case move < 3 || len(held) == 0:
				b, err := s.begin(ctx, study, 0, string(rune('A'+step)))
				if err != nil {
					t.Fatal(err)
				}
				running[study] = append(held, b)
			case move == 7 && step%5 == 0: // the other process
				if err := s.db.Exec("DELETE FROM trials WHERE study_id = ?", study).Error; err != nil {
					t.Fatal(err)
				}
				running[study] = nil
			default:
				i := r.IntN(len(held))
				b := held[i]
				running[study] = append(held[:i:i], held[i+1:]...)
				var err error
				switch move {
				case 3, 4:
					_, err = s.finish(ctx, b, study, r.Float64(), "")
				case 5:
					_, err = s.finish(ctx, b, study, 0, "no luck")
				default:
					_, err = s.lose(ctx, study, b.id, b.mark, "gone")
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, s := range storages {
				known := s.tally(study)
				advanced = advanced || known.last > 0 && known.lost > 0
				got, err := countTrials(s.db, study, known)
				if err != nil {
					t.Fatal(err)
				}
				want := counted{tally: got.tally}
				ask := func(to *int, q string) {
					if err := s.db.Raw(q, study).Row().Scan(to); err != nil {
						t.Fatal(err)
					}
				}
				ask(&want.all, "SELECT COUNT(*) FROM trials WHERE study_id = ?")
				ask(&want.lost, "SELECT COUNT(*) FROM trials WHERE study_id = ? AND trial_id IN (SELECT trial_id FROM trial_system_attributes WHERE key = '"+attrLost+"')")
				ask(&want.waiting, "SELECT COALESCE(MIN(trial_id), 0) FROM trials WHERE study_id = ? AND state = 'WAITING'")
				if got != want {
					t.Fatalf("seed %d, step %d: update of %+v gives %+v, want %+v", seed, step, known, got, want)
				}
			}
		}
		if !advanced {
			t.Errorf("seed %d: no counts were updated", seed)
		}
	}
}

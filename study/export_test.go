package study

import (
	"context"

	"gorm.io/gorm"
)

// DB returns the connection, for tests that inspect the tables.
func (s *Storage) DB() *gorm.DB { return s.db }

// Delete removes a study, as another program may do by SQL.
func (s *Storage) Delete(ctx context.Context, name string) error {
	id, _, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	return s.transact(ctx, id, func(tx *gorm.DB) error {
		for _, table := range []string{"trial_params", "trial_values", "trial_user_attributes", "trial_system_attributes"} {
			if err := tx.Exec("DELETE FROM "+table+" WHERE trial_id IN (SELECT trial_id FROM trials WHERE study_id = ?)", id).Error; err != nil {
				return err
			}
		}
		for _, table := range []string{"trials", "study_user_attributes", "study_system_attributes", "studies"} {
			if err := tx.Exec("DELETE FROM "+table+" WHERE study_id = ?", id).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

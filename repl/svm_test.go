package repl

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What support vector machines and labelled data refuse, and how.
func TestLearningFromReleases(t *testing.T) {
	dir := t.TempDir()
	image := func(label byte) []byte { return append([]byte{label}, bytes.Repeat([]byte{51}, 3072)...) }
	for name, content := range map[string][]byte{
		"two.svm": []byte("+1 1:0.5\n-1 3:2 # so\n"), "bad.svm": []byte("1 1:1\n1 2:x\n"),
		"cifar/test_batch.bin": append(image(3), image(7)...), "mnist/t10k-labels-idx1-ubyte.gz": []byte("plain"),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := NewSession()
	s.DataDirs = []string{dir}
	for source, want := range map[string]string{
		`linear_svm([[1], [2]], [1, 1])`:                                             "y has 1 classes, want at least 2",
		`linear_svm([[1], [2]], [1, 0.5])`:                                           "y[1] = 0.5, want a whole number or a string",
		`linear_svm([[1], [2]], "ab")`:                                               `y = "ab", want a list of numbers or strings`,
		`linear_svm([[1], [2]], [1])`:                                                "y has 1 classes, want at least 2",
		`linear_svm([[1], [2], [3]], [1, 2])`:                                        "2 labels for 3 samples",
		`linear_svm([[1], [2]], [1, 2], c=0)`:                                        "c = 0, want a positive finite number",
		`linear_svm([[1e200], [2]], [1, 2])`:                                         "sample 0 has the squared length +Inf, want at most 1e+150 for C = 1",
		`linear_svm([[1], [2]], [1, 2]).predict([[1, 2]])`:                           "samples have 2 features, want 1 as those of the fit",
		`linear_svm([[1], [2]], [1, 2]).accuracy([[1]], [])`:                         "0 labels for 1 samples",
		`linear_svm([[1], [2]], [1, 2]).accuracy([[1]], [3]).hi`:                     "0.0",
		`linear_svm([[-1], [1]], [10, 9]).classes`:                                   "[9, 10]",
		`linear_svm([[-1], [1]], ["b", 9]).predict([[-3], [3]])`:                     `["b", 9]`,
		`linear_svm([[-5], [9]], [0, 1], unit=True).predict([[1e300]])`:              "the squared length of sample 0 overflows float64",
		`dp_signrp(projection(2, 1), 900).sample([[1, 0], [7, 0]], clip=True).shape`: "(2, 1)",
		`dp_signrp(projection(2, 1), 900).sample([[1, 0], [7, 0]])`:                  "u[0] = 7, want a number in [-1, 1]",
		`dp_rp(projection(2, 1), 1, 0.7, form="classic")`:                            "delta = 0.7, want 0 < delta < 1/2",
		`cosine_moments(None, [1, 0], [0, 0])`:                                       "u or v is zero, want two vectors with an angle between them",
		`cosine_moments(projection(2, 1, kind="uniform"), [1, 0], [0, 1])`:           "w = \"uniform\", want a Gaussian, Rademacher or sparse projection, OPORP or none: the law of other projections is not enumerated",
		`read_svmlight("two.svm")["x"].rows`:                                         "[[0.5, 0.0, 0.0], [0.0, 0.0, 2.0]]",
		`read_svmlight("two.svm", first=1)["y"]`:                                     "[-1]",
		`read_svmlight("none.svm", required=False)`:                                  "None",
		`read_svmlight("none.svm")`:                                                  `path = "none.svm": there is no such file, nor in ` + dir,
		`read_svmlight("bad.svm")`:                                                   `bad.svm: line 2 has "2:x", want index:value with a finite number`,
		`images("cifar-test-images", first=1)[0][5]`:                                 "0.2",
		`image_labels("cifar-test-images")`:                                          "[3, 7]",
		`image_labels("mnist-train-labels", required=False)`:                         "None",
		`dataset("cifar-test-images")`:                                               "this set is not read as rows: images, image_labels or read_svmlight may read it",
		`dataset("webspam")`:                                                         "unpack webspam_wc_normalized_unigram.svm.bz2 from the page of LIBSVM's data sets into a data folder; read_svmlight reads it",
	} {
		v, err := s.Exec(context.Background(), "x.star", source)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = v.String()
		}
		if !strings.HasSuffix(strings.TrimSpace(got), want) {
			t.Errorf("%s\n gives %s\n want  %s", source, got, want)
		}
	}
}

package verbs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"trowel.example/internal/testing/tests"
)

// recipes is the folder of the recipes for reviews.
const recipes = "../../../contrib/review"

// recipeOf reads a recipe.
func recipeOf(t *testing.T, name string, to any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(recipes, name))
	if err == nil {
		err = yaml.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// githubRecipe is what the tests read of a workflow.
type githubRecipe struct {
	On          string
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Steps       []struct {
			Name, Uses, Run string
			Env             map[string]string
		}
	}
}

// gitlabJob is what the tests read of a job.
type gitlabJob struct {
	Script      []string
	Environment struct{ Name string }
	Variables   map[string]string
}

// TestRecipeTokens tests that no job of the recipes both can write and reads a contribution, and that no text of a contribution is
// part of a script.
func TestRecipeTokens(t *testing.T) {
	reads := func(script string) bool {
		return strings.Contains(script, "trowel") || strings.Contains(script, "git ") || strings.Contains(script, "checkout")
	}
	var github githubRecipe
	recipeOf(t, "github.yml", &github)
	if github.On != "pull_request_target" || github.Permissions == nil || len(github.Permissions) > 0 || len(github.Jobs) != 2 {
		t.Errorf("%+v", github)
	}
	for name, job := range github.Jobs {
		writes := false
		for _, access := range job.Permissions {
			writes = writes || access != "read"
		}
		if job.Permissions == nil || writes != (name == "comment") {
			t.Errorf("%s: permissions %v", name, job.Permissions)
		}
		for _, step := range job.Steps {
			if writes && (reads(step.Run) || reads(step.Uses)) {
				t.Errorf("%s: a step with a token that may write reads the contribution: %+v", name, step)
			}
			if strings.Contains(step.Run, "${{") {
				t.Errorf("%s: an expression is part of a script: %s", name, step.Run)
			}
			if at := strings.LastIndexByte(step.Uses, '@'); step.Uses != "" && len(step.Uses)-at != 41 {
				t.Errorf("%s: %s is not a commit", name, step.Uses)
			}
		}
	}
	var gitlab map[string]gitlabJob
	recipeOf(t, "gitlab.yml", &gitlab)
	for name, job := range gitlab {
		script := strings.Join(job.Script, "\n")
		writes := strings.Contains(script, "TOKEN")
		if writes && (reads(script) || job.Environment.Name != "review" || job.Variables["GIT_STRATEGY"] != "none") ||
			writes != (name == "comment") {
			t.Errorf("%s: %+v", name, job)
		}
	}
	if len(gitlab) != 4 {
		t.Errorf("%d jobs", len(gitlab))
	}
}

// TestRecipes runs the scripts of the recipes that review a contribution.
func TestRecipes(t *testing.T) {
	tests.LongOnly(t, "it starts shells")
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	tests.Link(t, self, filepath.Join(bin, "trowel"))
	env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir,
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=Ann",
		"GIT_COMMITTER_EMAIL=a@example.org", "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
	sh := func(in, script string, more ...string) (string, error) {
		cmd := exec.Command(bash, "-e", "-c", script)
		cmd.Dir, cmd.Env = in, append(slices.Clone(env), more...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	out, err := sh(dir, `git init -q -b main origin && cd origin && trowel pack -q "$SAMPLES"/burrow -o a.map
git add -A && git commit -qm start
git checkout -qb design && trowel edit -q a.map --in-place -- info --author Ann && git commit -qam design
git update-ref refs/pull/7/head HEAD && git update-ref refs/merge-requests/7/head HEAD
git checkout -qb game && trowel edit -q a.map --in-place -- add-setting 'tune gravity 0.4' && git commit -qam game
git update-ref refs/pull/8/head HEAD && git update-ref refs/merge-requests/8/head HEAD
git checkout -q main && git branch -qD design game && echo x > readme.txt && git add -A && git commit -qm later
cd .. && git clone -q origin clone`, "SAMPLES="+samples)
	if err != nil {
		t.Fatal(out, err)
	}
	rev := func(name string) string {
		out, err := sh(filepath.Join(dir, "origin"), "git rev-parse "+name)
		if err != nil {
			t.Fatal(out)
		}
		return strings.TrimSpace(out)
	}
	var github githubRecipe
	recipeOf(t, "github.yml", &github)
	var gitlab map[string]gitlabJob
	recipeOf(t, "gitlab.yml", &gitlab)
	clone := filepath.Join(dir, "clone")
	for number, passes := range map[string]bool{"7": true, "8": false} {
		head := rev("refs/pull/" + number + "/head")
		base, err := sh(filepath.Join(dir, "origin"), "git merge-base main "+head)
		if err != nil {
			t.Fatal(base)
		}
		var scripts []string
		for _, step := range github.Jobs["review"].Steps {
			if step.Name == "review" {
				scripts = append(scripts, step.Run)
			}
		}
		scripts = append(scripts, strings.Join(gitlab["review-again"].Script, "\n"), strings.Join(gitlab["review"].Script, "\n"))
		for _, script := range scripts {
			out, err := sh(clone, script, "NUMBER="+number, "BASE="+rev("main"), "HEAD="+head, "MR="+number, "CI_COMMIT_SHA="+head,
				"CI_MERGE_REQUEST_DIFF_BASE_SHA="+strings.TrimSpace(base))
			summary, failed := os.ReadFile(filepath.Join(clone, "summary.md"))
			if (err == nil) != passes || failed != nil || strings.Contains(string(summary), "readme") ||
				strings.Contains(string(summary), "Not allowed here") == passes {
				t.Errorf("%s: %s: %v\n%s\n%s", number, script, err, out, summary)
			}
			if _, err := os.Stat(filepath.Join(clone, "report", reportHTML)); err != nil {
				t.Error(err)
			}
			if err := os.RemoveAll(filepath.Join(clone, "report")); err != nil {
				t.Fatal(err)
			}
		}
	}
	var hooks struct {
		Repos []struct{ Hooks []struct{ ID, Entry string } }
	}
	recipeOf(t, "pre-commit-config.yaml", &hooks)
	for _, hook := range hooks.Repos[0].Hooks {
		out, err := sh(clone, hook.Entry, "PRE_COMMIT_FROM_REF="+rev("main~1"), "PRE_COMMIT_TO_REF="+rev("refs/pull/8/head"))
		if (err == nil) != (hook.ID == "trowel-check") || hook.ID == "trowel-review" && !strings.Contains(out, "tune gravity 0.4") {
			t.Errorf("%s: %v\n%s", hook.ID, err, out)
		}
	}
}

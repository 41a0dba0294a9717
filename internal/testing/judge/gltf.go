package judge

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/tests"
)

// Node returns the path of Node.js, if it finds a package of npm, such as "three": NODE_PATH names the folder. It skips the
// test if one of them is not installed, unless judges are required.
func Node(t testing.TB, module string) string {
	t.Helper()
	tests.Judges(t)
	path, err := exec.LookPath("node")
	if err == nil {
		err = exec.Command(path, "-e", "require.resolve(process.argv[1])", module).Run()
	}
	if err != nil {
		tests.Missing(t, "judges", "no Node.js with the package %s here (set NODE_PATH): %v", module, err)
	}
	return path
}

// NodePackage returns the folder of a package of npm in a folder of NODE_PATH. It skips the test if it is not installed, unless
// judges are required.
func NodePackage(t testing.TB, name string) string {
	t.Helper()
	tests.Judges(t)
	for _, dir := range filepath.SplitList(os.Getenv("NODE_PATH")) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			return filepath.Join(dir, name)
		}
	}
	tests.Missing(t, "judges", "no package %s of npm here (set NODE_PATH)", name)
	return ""
}

// ValidateGLTF tests that Khronos' validator finds no error and no warning in .glb files.
func ValidateGLTF(t testing.TB, files ...string) {
	t.Helper()
	const script = `const validator = require('gltf-validator'), fs = require('fs');
(async () => {
	const all = [];
	for (const file of process.argv.slice(1)) {
		const r = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {maxIssues: 20});
		all.push({File: file, Issues: r.issues.messages.filter(m => m.severity < 2)});
	}
	console.log(JSON.stringify(all));
})();`
	out, err := exec.Command(Node(t, "gltf-validator"), append([]string{"-e", script}, files...)...).Output()
	if err != nil {
		t.Fatalf("gltf-validator: %v", err)
	}
	var all []struct {
		File   string
		Issues []struct{ Code, Message, Pointer string }
	}
	if err := json.Unmarshal(out, &all); err != nil || len(all) != len(files) {
		t.Fatalf("gltf-validator: %d of %d files: %v", len(all), len(files), err)
	}
	for _, f := range all {
		for _, issue := range f.Issues {
			t.Errorf("%s: gltf-validator: %s: %s: %s", f.File, issue.Pointer, issue.Code, issue.Message)
		}
	}
}

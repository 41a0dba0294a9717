package judge

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"testing"
	"time"
)

// S3 starts an object storage server in memory for this test, and creates a bucket. It returns the URL of the bucket,
// which includes the address of the server, and sets the environment variables with the credentials. It skips the test
// if moto is not installed, unless judges are required.
func S3(t testing.TB, bucket string) (url string) {
	path := Find(t, "moto_server")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	ctx, stop := context.WithCancel(context.Background())
	_, port, _ := net.SplitHostPort(addr)
	cmd := exec.CommandContext(ctx, path, "-H", "127.0.0.1", "-p", port)
	cmd.Dir = t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = cmd.Wait() })
	make := func() error {
		r, err := http.NewRequest("PUT", "http://"+addr+"/"+bucket, nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		if answer.Body.Close(); answer.StatusCode != http.StatusOK {
			return fmt.Errorf("making a bucket: %s", answer.Status)
		}
		return nil
	}
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if err = make(); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"} {
		t.Setenv(name, value)
	}
	return "s3://" + bucket + "?region=us-east-1&use_path_style=true&endpoint=http://" + addr
}

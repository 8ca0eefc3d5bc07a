// Command cluster runs a Kubernetes API for tests, with pods that are local
// processes, and runs a command against it.
//
// It starts etcd, kube-apiserver and kube-controller-manager from -bin,
// installs the CRDs that -crds names, and plays the kubelet (see kubelet.go): every pod gets a network namespace and an
// address of its own on the bridge that it makes in the current one. So it
// needs root and belongs in a network namespace of its own:
//
//	unshare --net --mount --pid --mount-proc --fork --kill-child \
//	  bin/cluster -bin bin -crds bin/crd/experimental -- COMMAND
//
// All that it started ends with the process namespace.
//
// The command sees KUBECONFIG. Its exit status is the program's own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func main() {
	var (
		bin     = flag.String("bin", "", "folder with etcd, kube-apiserver, kube-controller-manager and echo-basic")
		run     = flag.String("run", "", "folder for the kubeconfig and the logs (default: a temporary one)")
		crds    = flag.String("crds", "", "comma-separated folders or files of CRDs to install")
		podCIDR = flag.String("pod-prefix", "10.244.0", "first three octets of the pods' and the bridge's addresses (the bridge has .1)")
		verbose = flag.Bool("v", false, "show the control plane's output")
	)
	flag.Parse()
	log.SetFlags(log.Ltime)
	log.SetPrefix("cluster: ")
	code, err := up(*bin, *run, *crds, *podCIDR, *verbose, flag.Args())
	if err != nil {
		log.Print(err)
		if code == 0 {
			code = 1
		}
	}
	os.Exit(code)
}

func up(bin, run, crds, prefix string, verbose bool, command []string) (int, error) {
	if bin == "" || len(command) == 0 {
		return 2, errors.New("usage: cluster -bin DIR [flags] -- COMMAND…")
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		return 2, err
	}
	if run == "" {
		if run, err = os.MkdirTemp("", "cluster-"); err != nil {
			return 1, err
		}
	} else if run, err = filepath.Abs(run); err != nil {
		return 2, err
	} else if err = os.MkdirAll(run, 0o755); err != nil {
		return 1, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	net, err := newBridge(prefix)
	if err != nil {
		return 1, err
	}
	env := &envtest.Environment{
		BinaryAssetsDirectory:    bin,
		ErrorIfCRDPathMissing:    true,
		AttachControlPlaneOutput: verbose,
		ControlPlaneStartTimeout: 2 * time.Minute,
	}
	if crds != "" {
		env.CRDDirectoryPaths = strings.Split(crds, ",")
	}
	env.ControlPlane.Etcd = &envtest.Etcd{DataDir: filepath.Join(run, "etcd")}
	api := env.ControlPlane.GetAPIServer()
	api.CertDir = filepath.Join(run, "certificates")
	for _, folder := range []string{env.ControlPlane.Etcd.DataDir, api.CertDir} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return 1, err
		}
	}
	api.Configure().
		Set("allow-privileged", "true").
		Set("advertise-address", net.address).
		Set("kubelet-preferred-address-types", "InternalIP").
		Set("service-cluster-ip-range", "10.96.0.0/16").
		Set("disable-admission-plugins", "ServiceAccount")
	began := time.Now()
	cfg, err := env.Start()
	if err != nil {
		return 1, fmt.Errorf("control plane: %w", err)
	}
	cfg.QPS, cfg.Burst = 200, 400

	user, err := env.ControlPlane.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, cfg)
	if err != nil {
		return 1, err
	}
	kubeconfig, err := user.KubeConfig()
	if err != nil {
		return 1, err
	}
	kubeconfigPath := filepath.Join(run, "kubeconfig")
	if err := os.WriteFile(kubeconfigPath, kubeconfig, 0o600); err != nil {
		return 1, err
	}

	err = start(run, filepath.Join(bin, "kube-controller-manager"),
		"--kubeconfig="+kubeconfigPath, "--leader-elect=false", "--secure-port=0",
		"--controllers=deployment-controller,replicaset-controller,endpointslice-controller,namespace-controller,garbage-collector-controller,serviceaccount-controller",
		"--kube-api-qps=200", "--kube-api-burst=400")
	if err != nil {
		return 1, err
	}

	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return 1, err
	}
	kubelet, err := startKubelet(ctx, client, net, bin, run)
	if err != nil {
		return 1, fmt.Errorf("kubelet: %w", err)
	}
	defer kubelet.stop()
	log.Printf("ready in %.1f s; KUBECONFIG=%s", time.Since(began).Seconds(), kubeconfigPath)

	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfigPath)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// start runs a program with its output in run/NAME.log, for as long as we run.
func start(run, path string, args ...string) error {
	out, err := os.Create(filepath.Join(run, filepath.Base(path)+".log"))
	if err != nil {
		return err
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	return nil
}

// Command membraind is the memory engine as a program: one verb of its command line per run.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/membrain-db/membrain/cmd/membraind/internal/cli"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Main(ctx, cli.OS())
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// plugin is one generator and the parameter that protoc would pass to it.
type plugin struct{ tool, parameter string }

func main() {
	folders := os.Args[1:]
	if len(folders) == 0 {
		folders = []string{"eventlog/eventpb"}
	}
	if err := generate(context.Background(), ".", folders); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

// generate writes the Go files of the .proto files in folders under out, at the same relative paths.
func generate(ctx context.Context, out string, folders []string) error {
	names, err := protoFiles(folders)
	if err != nil {
		return err
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{}),
		SourceInfoMode: protocompile.SourceInfoStandard, // comments reach the generated code
	}
	files, err := compiler.Compile(ctx, names...)
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: names, ProtoFile: inOrderOfImport(files)}
	for _, p := range []plugin{
		{"protoc-gen-go", "paths=source_relative"},
		{"protoc-gen-go-vtproto", "paths=source_relative,features=marshal+unmarshal+size"},
	} {
		if err := p.run(ctx, request, out); err != nil {
			return fmt.Errorf("%s: %w", p.tool, err)
		}
	}
	return nil
}

func protoFiles(folders []string) ([]string, error) {
	var names []string
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(folder, "*.proto"))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no .proto file in %s; run this from the module root", folder)
		}
		for _, name := range found {
			names = append(names, filepath.ToSlash(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

// inOrderOfImport lists files and everything they import, each after what it imports, as plugins demand.
func inOrderOfImport(files linker.Files) []*descriptorpb.FileDescriptorProto {
	var ordered []*descriptorpb.FileDescriptorProto
	seen := map[string]bool{}
	var visit func(linker.File)
	visit = func(file linker.File) {
		if seen[file.Path()] {
			return
		}
		seen[file.Path()] = true
		imports := file.Imports()
		for i := range imports.Len() {
			visit(file.FindImportByPath(imports.Get(i).Path()))
		}
		ordered = append(ordered, protoutil.ProtoFromFileDescriptor(file))
	}
	for _, file := range files {
		visit(file)
	}
	return ordered
}

func (p plugin) run(ctx context.Context, request *pluginpb.CodeGeneratorRequest, out string) error {
	request.Parameter = proto.String(p.parameter)
	input, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "go", "tool", p.tool)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		return err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(output, &response); err != nil {
		return fmt.Errorf("read the plugin's answer: %w", err)
	}
	if response.Error != nil {
		return errors.New(response.GetError())
	}
	for _, file := range response.File {
		if err := os.WriteFile(filepath.Join(out, filepath.FromSlash(file.GetName())), []byte(file.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

module github.com/example/flow-hooks/clients/go

go 1.24

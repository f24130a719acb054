module x509

go 1.21

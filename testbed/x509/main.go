// Reads certificate requests as kube-controller-manager does: a line of JSON on stdin has spec.request in base64, a line on stdout what is in it.
package main

import (
	"bufio"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"os"
)

type reading struct {
	Error         string   `json:"error,omitempty"`
	CommonName    string   `json:"commonName"`
	Organizations []string `json:"organizations"`
	Others        int      `json:"others"`
	DNSNames      []string `json:"dnsNames"`
	IPAddresses   []string `json:"ipAddresses"`
	Emails        []string `json:"emailAddresses"`
	URIs          []string `json:"uris"`
}

func read(encoded string) reading {
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return reading{Error: err.Error()}
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return reading{Error: "PEM block type must be CERTIFICATE REQUEST"}
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err == nil {
		err = request.CheckSignature()
	}
	if err != nil {
		return reading{Error: err.Error()}
	}
	subject := request.Subject
	result := reading{
		CommonName:    subject.CommonName,
		Organizations: append([]string{}, subject.Organization...),
		Others:        len(subject.Names) - len(subject.Organization),
		DNSNames:      append([]string{}, request.DNSNames...),
		IPAddresses:   []string{},
		Emails:        append([]string{}, request.EmailAddresses...),
		URIs:          []string{},
	}
	for _, ip := range request.IPAddresses {
		result.IPAddresses = append(result.IPAddresses, ip.String())
	}
	for _, uri := range request.URIs {
		result.URIs = append(result.URIs, uri.String())
	}
	return result
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var encoded string
		if err := json.Unmarshal(input.Bytes(), &encoded); err != nil {
			panic(err)
		}
		if err := output.Encode(read(encoded)); err != nil {
			panic(err)
		}
	}
	if err := input.Err(); err != nil {
		panic(err)
	}
}

# shellcheck shell=bash
# The certificate authority for the mirror; only clients that are configured for it trust it.

make_tls() {
  local tls=$CACHE/tls new=$CACHE/tls.new
  [ ! -e "$tls/server.crt" ] || return 0
  rm -rf "$tls" "$new" && mkdir -p "$new" && chmod 0700 "$new"
  openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj '/CN=authority of the testbed' \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign \
    -keyout "$new/ca.key" -out "$new/ca.crt" 2>/dev/null
  openssl req -newkey rsa:2048 -nodes -subj '/CN=mirror' -keyout "$new/server.key" -out "$new/server.csr" 2>/dev/null
  openssl x509 -req -in "$new/server.csr" -CA "$new/ca.crt" -CAkey "$new/ca.key" -CAcreateserial -days 3650 -out "$new/server.crt" \
    -extfile <(echo "subjectAltName=IP:$ADDRESS,DNS:packages.testbed.example,DNS:registry.testbed.example") 2>/dev/null
  mv "$new" "$tls"
}

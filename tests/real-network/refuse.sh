# Responds to one AdmissionReview, over standard input and output, with a denial for the reason in $REFUSAL.
length=0
while IFS= read -r line; do
  line=${line%?}
  case "$line" in
    '') break ;;
    [Cc]ontent-[Ll]ength:*) length=${line#*: } ;;
  esac
done
uid=$(/bin/busybox head -c "$length" | /bin/busybox sed 's/^.*"request":{"uid":"\([^"]*\)".*/\1/')
review='{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"'$uid'","allowed":false,"status":{"message":"'$REFUSAL'"}}}'
printf 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s' "${#review}" "$review"

package flowhooks

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// DeliveredEvent is the body of a delivery to a listener without a transformation.
type DeliveredEvent struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	// Timestamp is when it occurred, if the producer gave the time; else when it was recorded.
	Timestamp time.Time `json:"timestamp"`
	OrgID     string    `json:"orgId"`
	FlowID    string    `json:"flowId"`
	Data      any       `json:"data"`
}

// Signed requests are accepted within this time, so that a recorded one cannot be sent again later.
const tolerance = 5 * time.Minute

// Verify returns nil if one of the keys has signed the delivery (Standard Webhooks). The header is that of the request, and the body is as it
// arrived, not parsed. A key is a signing secret (whsec_…, signatures v1) or the public key of a listener (whpk_…, signatures v1a, Ed25519).
//
// The *Error has the code invalid_signature if no key has signed it, or it is older than 5 minutes, and invalid_option for a key that is none.
func Verify(header http.Header, body []byte, keys ...string) error {
	return verifyAt(time.Now(), header, body, keys)
}

func verifyAt(now time.Time, header http.Header, body []byte, keys []string) error {
	if len(keys) == 0 {
		return invalidOption("a key is required")
	}
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	signatures := strings.Fields(strings.Join(header.Values("Webhook-Signature"), " "))
	content := append([]byte(id+"."+timestamp+"."), body...)
	signed := false
	for _, key := range keys {
		matches, err := matcher(key, content)
		if err != nil {
			return err
		}
		for _, signature := range signatures {
			signed = signed || matches(signature)
		}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if !signed || id == "" || err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return &Error{Code: "invalid_signature", Message: "the signature of the delivery is not valid, or its time"}
	}
	return nil
}

// Whether a signature, such as v1,K5oZ…, is one of the content by the key.
func matcher(key string, content []byte) (func(signature string) bool, error) {
	kind, encoded, _ := strings.Cut(key, "_")
	bytes, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case kind == "whsec" && err == nil && len(bytes) > 0: // anyone can sign with an empty secret
		return func(signature string) bool {
			mac := hmac.New(sha256.New, bytes)
			mac.Write(content)
			return hmac.Equal(mac.Sum(nil), signatureOf("v1,", signature))
		}, nil
	case kind == "whpk" && err == nil && len(bytes) == ed25519.PublicKeySize:
		return func(signature string) bool { return ed25519.Verify(bytes, content, signatureOf("v1a,", signature)) }, nil
	}
	return nil, invalidOption("a key is whsec_ or whpk_ and base64")
}

// Empty for another version, or no base64.
func signatureOf(version, signature string) []byte {
	encoded, found := strings.CutPrefix(signature, version)
	if !found {
		return nil
	}
	bytes, _ := base64.StdEncoding.DecodeString(encoded)
	return bytes
}

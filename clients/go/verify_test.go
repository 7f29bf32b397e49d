package flowhooks

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"
	"time"
)

var now = time.Unix(1_769_860_800, 0)

func signed(version string, sign func(content []byte) []byte, at time.Time) http.Header {
	header := http.Header{}
	header.Set("webhook-id", "1")
	header.Set("webhook-timestamp", fmt.Sprint(at.Unix()))
	signature := sign(fmt.Appendf(nil, "1.%d.{}", at.Unix()))
	header.Set("webhook-signature", "v1,AAAA v2,x "+version+","+base64.StdEncoding.EncodeToString(signature))
	return header
}

func TestVerifiesSignaturesOfASecretAndOfAPublicKey(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	schemes := map[string]struct {
		key  string
		sign func([]byte) []byte
	}{
		"v1": {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", func(content []byte) []byte {
			secret, _ := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
			mac := hmac.New(sha256.New, secret)
			mac.Write(content)
			return mac.Sum(nil)
		}},
		"v1a": {"whpk_" + base64.StdEncoding.EncodeToString(public), func(content []byte) []byte { return ed25519.Sign(private, content) }},
	}
	other := "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	for version, scheme := range schemes {
		verify := func(header http.Header, body string, keys ...string) string {
			if err := verifyAt(now, header, []byte(body), keys); err != nil {
				return failed(t, err).Code
			}
			return "valid"
		}
		header := signed(version, scheme.sign, now)
		equal(t, verify(header, "{}", other, scheme.key), "valid")
		equal(t, verify(header, "{} ", scheme.key), "invalid_signature")
		equal(t, verify(header, "{}", other), "invalid_signature")
		for _, minutes := range []time.Duration{-6, 6} {
			equal(t, verify(signed(version, scheme.sign, now.Add(minutes*time.Minute)), "{}", scheme.key), "invalid_signature")
		}
		for name := range header {
			rest := header.Clone()
			rest.Del(name)
			equal(t, verify(rest, "{}", scheme.key), "invalid_signature")
		}
		wrongVersion := map[string]string{"v1": "v1a", "v1a": "v1"}[version]
		equal(t, verify(signed(wrongVersion, scheme.sign, now), "{}", scheme.key), "invalid_signature")
		equal(t, failed(t, Verify(header, []byte("{}"), scheme.key)).Code, "invalid_signature")
	}
	for _, key := range []string{"", "whsec_", "whsec_%", "whpk_AAAA", "secret"} {
		equal(t, failed(t, Verify(http.Header{}, nil, key)).Code, "invalid_option")
	}
	equal(t, failed(t, Verify(http.Header{}, nil)).Code, "invalid_option")
}

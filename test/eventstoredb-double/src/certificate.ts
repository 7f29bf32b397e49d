import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Certificate for 127.0.0.1, signed by itself, good from 2020 to 2120. It is for tests alone: the key is public. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBbTCCAROgAwIBAgIBATAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNFdmVudFN0
b3JlREIgZG91YmxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAe
MRwwGgYDVQQDDBNFdmVudFN0b3JlREIgZG91YmxlMFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAE1oHkw5QA+Qc2vwN6fDikWGmXShiiYHSH0EvCn3yRYtWu5q2ssWyY
ZuiLXXwwIjvp3JoDNUzYPv1gq5MduVFB26NAMD4wDwYDVR0RBAgwBocEfwAAATAM
BgNVHRMEBTADAQH/MB0GA1UdDgQWBBQtOgoj/JNyBdmLaPh9ZpZzIGPV5TAKBggq
hkjOPQQDAgNIADBFAiEAqNrEnCgUgZhxA2LD/Ed4j9sef5V39pYkZEYSnAHyEjgC
IHsbiYOmMDZkiRO792EmCO+uCGgJ/25F9VWBrH7FU90+
-----END CERTIFICATE-----`;

export const certificateKey = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIF6mgxUy+lWct7JO9BoXtZoJ0qBEGkRLwF4LWjiHEl5DoAoGCCqGSM49
AwEHoUQDQgAE1oHkw5QA+Qc2vwN6fDikWGmXShiiYHSH0EvCn3yRYtWu5q2ssWyY
ZuiLXXwwIjvp3JoDNUzYPv1gq5MduVFB2w==
-----END EC PRIVATE KEY-----`;

/** The path of a file with the certificate, for clients. It is gone when the process ends. */
export function writtenCertificate(): string {
  const directory = mkdtempSync(join(tmpdir(), 'eventstoredb-double-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'authority.pem');
  writeFileSync(file, certificate);
  return file;
}

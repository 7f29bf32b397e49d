import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';

/** `BENCH_TLS`: listeners are posted to over TLS, with a certificate for 127.0.0.1 that all processes of the run trust. */
export const isOverTls = process.env.BENCH_TLS !== undefined;

/** Environment of a run: makes the certificate with `openssl`, if the run is over TLS. */
export function certificateEnvironment(): Readonly<Record<string, string>> {
  if (!isOverTls) return {};
  const directory = temporaryDirectory();
  const [key, certificate] = pathsIn(directory);
  const newKey = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...newKey, ...names, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  return { BENCH_TLS: directory, NODE_EXTRA_CA_CERTS: certificate };
}

export function ownCertificate(): { key: Buffer; cert: Buffer } {
  const [key, certificate] = pathsIn(process.env.BENCH_TLS ?? '');
  return { key: readFileSync(key), cert: readFileSync(certificate) };
}

const pathsIn = (directory: string) => [join(directory, 'key.pem'), join(directory, 'certificate.pem')] as const;

import type { Logger } from 'pino';
import type { Config } from './config/config.js';

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Logs a warning for each address that browsers and platforms reach without TLS, over which they would send codes and tokens
 * (RFC 9700 §2.6). Nothing is said of loopback addresses.
 */
export function warnOfPlainHttp(
  {
    http,
    signIn,
  }: { readonly http: Pick<Config['http'], 'publicUrl'>; readonly signIn: Pick<Config['signIn'], 'loginUrls'> },
  log: Pick<Logger, 'warn'>,
): void {
  const addresses = [
    ...(http.publicUrl === undefined ? [] : [['PUBLIC_URL', http.publicUrl] as const]),
    ...Object.values(signIn.loginUrls ?? {}).map((url) => ['LOGIN_URLS', url] as const),
  ];
  for (const [setting, url] of addresses) {
    const { protocol, hostname } = new URL(url);
    if (protocol === 'https:' || loopbackHost.test(hostname)) continue;
    log.warn({ setting, hostname }, 'codes and tokens are sent to this address without TLS: use https');
  }
}

import type { Logger } from 'pino';
import type { TrustedPeerSettings } from '../http/trusted-peers.js';
import type { EgressProxy } from '../kernel/egress/settings.js';
import type { InfoLog, WarningLog } from '../kernel/log.js';
import type { Config, DoubtfulSettings } from './config/config.js';

/** Logs what an operator should know of the settings at each start. */
export function logSettings(config: Config, log: Logger): void {
  logTrustedPeers(config.http, log);
  logEgressProxy(config.egress, log);
  warnOfPlainHttp(config, log);
  warnOfSettings(config, log);
}

/** Logs the headers that trusted peers must not pass on from their clients. */
function logTrustedPeers({ trustedProxies, trustedGateways }: TrustedPeerSettings, log: Logger): void {
  if (trustedProxies.length > 0) {
    log.info(
      { trustedProxies },
      'these proxies are trusted: they must remove X-Forwarded-Host and X-Request-Id of their clients or set their own, and must ' +
        'append the address of the client to X-Forwarded-For; identity headers that they pass on are ignored',
    );
  }
  if (trustedGateways.length > 0) {
    const isEveryone = trustedGateways.some((range) => range.endsWith('/0'));
    log[isEveryone ? 'warn' : 'info'](
      { trustedGateways },
      'these gateways are trusted to name the user: they must remove orgid, orgId, userid, X-Forwarded-Host, X-Forwarded-For and ' +
        `X-Request-Id of their clients, in any spelling${isEveryone ? '; every caller that reaches the service is one of them' : ''}`,
    );
  }
}

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

type Addresses = {
  http: { publicUrl: string | undefined };
  signIn: { loginUrls: Readonly<Record<string, string>> | undefined };
};

/**
 * Logs a warning for each address that browsers and platforms reach without TLS, over which they would send codes and tokens
 * (RFC 9700 §2.6). Nothing is said of loopback addresses.
 */
export function warnOfPlainHttp({ http, signIn }: Addresses, log: WarningLog): void {
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

/** Logs the settings that void a protection, and variables that look like settings and are none. */
export function warnOfSettings({ unsafe, unknown }: DoubtfulSettings, log: WarningLog): void {
  for (const { setting, voids } of unsafe)
    log.warn({ setting }, `UNSAFE permits that ${setting} voids a protection: ${voids}`);
  for (const { name, suggestion } of unknown)
    log.warn(
      { variable: name, suggestion },
      `${name} is not a setting of the service, and has no effect${suggestion === undefined ? '' : `: is ${suggestion} meant?`}`,
    );
}

/** Logs the proxy without its credentials. */
function logEgressProxy(egress: EgressProxy | undefined, log: InfoLog): void {
  if (!egress) return;
  const { except, resolvesNames } = egress;
  log.info(
    { proxy: new URL(egress.url).host, except, resolvesNames },
    'requests to listeners, issuers and identity providers go through this proxy',
  );
}

import type { Logger } from 'pino';
import type { TrustedPeerSettings } from '../http/trusted-peers.js';

/** Logs what the service believes of its trusted peers, and so what these must not pass on from their clients. */
export function logTrustedPeers({ trustedProxies, trustedGateways }: TrustedPeerSettings, log: Logger): void {
  if (trustedProxies.length > 0) {
    log.info(
      { trustedProxies },
      'these proxies are trusted: they must remove X-Forwarded-Host and X-Request-Id of their clients or set their own, and must ' +
        'append the address of the client to X-Forwarded-For; identity headers that they pass on are not believed',
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

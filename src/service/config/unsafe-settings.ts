import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { AdminKeys } from '../../access/admin-keys.js';
import { isMasterKeys, weakGenerations } from '../../access/keys/master-keys.js';
import type { ConfiguredKeys } from '../../access/keys/service-keys.js';
import type { TargetPolicy } from '../../deliveries/target-guard/target-judge.js';
import type { TrustedPeerSettings } from '../../http/trusted-peers.js';
import { parseRange, type Range } from '../../kernel/input/address-range.js';
import { type LimitSettings, limitNames } from './limits.js';
import { partsOf, setting } from './schema.js';
import type { Reject } from './settings.js';

/** A setting whose value voids a protection, and the protection. */
export type UnsafeSetting = { setting: string; voids: string };

/** `permitted`: the settings that `UNSAFE` names. */
export const protections = z.object({
  permitted: setting('UNSAFE', (text) => partsOf(text).filter((name) => name !== ''), []),
  certificates: setting('NODE_TLS_REJECT_UNAUTHORIZED'),
});

/** The settings that are judged. */
type Judged = {
  protections: z.output<typeof protections>;
  mode: 'development' | 'production';
  http: TrustedPeerSettings;
  deliveries: { targets: TargetPolicy };
  listeners: { maxListeners: number | undefined };
  limits: LimitSettings;
  keys: ConfiguredKeys;
};

/** Settings that `UNSAFE` may name. */
const names = [
  ...['ALLOW_HTTP', 'ALLOWED_TARGETS', 'TRUSTED_PROXIES', 'TRUSTED_GATEWAYS', 'MAX_LISTENERS'],
  ...['ADMIN_KEYS', 'MASTER_KEYS', 'NODE_TLS_REJECT_UNAUTHORIZED'],
  ...Object.values(limitNames),
];

/** The unsafe settings of production, each of which has to be named in `UNSAFE`; rejects those that are not. */
export function readUnsafe(config: Judged, reject: Reject): UnsafeSetting[] {
  const permitted = config.protections.permitted.map((name) => (name === 'ADMIN_KEY' ? 'ADMIN_KEYS' : name));
  const unknown = permitted.find((name) => !names.includes(name));
  if (unknown !== undefined) reject('UNSAFE', `must be some of ${names.join(',')}, but has '${unknown}'`);
  if (config.mode === 'development') return [];
  const found = unsafeSettings(config);
  for (const { setting, voids } of found)
    if (!permitted.includes(setting))
      reject(setting, `voids a protection: ${voids}. If that is meant, permit it with UNSAFE=${setting}`);
  return found;
}

function unsafeSettings({ http, deliveries, listeners, limits, keys, protections }: Judged): UnsafeSetting[] {
  const { allowHttp, allowedTargets } = deliveries.targets;
  const named = Object.entries(limitNames) as readonly (readonly [keyof typeof limits, string])[];
  const found: readonly (readonly [setting: string, isVoid: boolean, voids: string])[] = [
    ['ALLOW_HTTP', allowHttp, 'deliveries to listeners without TLS can be read and changed on their way'],
    ['ALLOWED_TARGETS', isBroad(allowedTargets), 'listeners may point to nearly all addresses, internal ones too'],
    ['ALLOWED_TARGETS', holdsMetadata(allowedTargets), 'listeners may point to the metadata of cloud machines'],
    ['TRUSTED_PROXIES', isBroad(http.trustedProxies), 'callers choose their address, and no limit by address applies'],
    ['TRUSTED_GATEWAYS', isBroad(http.trustedGateways), 'callers choose their organisation and user'],
    ['MAX_LISTENERS', listeners.maxListeners === undefined, 'an organisation may register any number of listeners'],
    ['ADMIN_KEYS', isGuessable(keys.adminKeys), 'an admin key of few different characters is guessed'],
    ['MASTER_KEYS', hasWeakKeys(keys.masterKeys), 'secrets of a key that repeats bytes or another key are guessed'],
    [
      'NODE_TLS_REJECT_UNAUTHORIZED',
      protections.certificates === '0',
      'certificates of listeners, issuers and stores are not checked',
    ],
    ...named.map(([name, setting]) => [setting, limits[name] === undefined, 'requests are not limited'] as const),
  ];
  const unsafe = found.filter(([, isVoid]) => isVoid).map(([setting, , voids]) => ({ setting, voids }));
  return unsafe.filter(({ setting }, index) => unsafe.findIndex((each) => each.setting === setting) === index);
}

/** Ranges of private networks, which are not counted: they are what these settings are for. */
const privateRanges = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
  'fe80::/10',
].map(parseRange);

/** More than any network of proxies or listeners has: of IPv4 one block of 256, of IPv6 an allocation to a registry. */
const maxShare = { ipv4: 2 ** -8, ipv6: 2 ** -16 };

/** True if the ranges together are a large part of the public addresses, also as halves or in many pieces. */
function isBroad(cidrs: readonly string[]): boolean {
  const shares = { ipv4: 0, ipv6: 0 };
  for (const [range, bits] of cidrs.map(parseRange).map(withoutMapping)) {
    const isPrivate = privateRanges.some(
      ([known, prefix]) => known.kind() === range.kind() && bits >= prefix && range.match(known, prefix),
    );
    if (!isPrivate) shares[range.kind()] += 2 ** -bits;
  }
  return shares.ipv4 > maxShare.ipv4 || shares.ipv6 > maxShare.ipv6;
}

/** An IPv4-mapped range (`::ffff:0:0/96`) as that of IPv4. */
function withoutMapping([range, bits]: Range): Range {
  if (range instanceof ipaddr.IPv6 && range.isIPv4MappedAddress() && bits >= 96)
    return [range.toIPv4Address(), bits - 96];
  return [range, bits];
}

const metadata = ['169.254.169.254', '168.63.129.16'].map((address) => ipaddr.IPv4.parse(address));

const holdsMetadata = (cidrs: readonly string[]): boolean =>
  cidrs
    .map(parseRange)
    .map(withoutMapping)
    .some(([range, bits]) => range instanceof ipaddr.IPv4 && metadata.some((address) => address.match(range, bits)));

/** Number of different characters of a key that was typed by holding one down. */
const maxGuessable = 4;

const isGuessable = (keys: AdminKeys | undefined): boolean =>
  [...(keys?.values() ?? [])].some(({ key }) => new Set(key).size <= maxGuessable);

/** `given`: the keys or the name of their file. False for keys that cannot be read, of which the start fails. */
function hasWeakKeys(given: string | undefined): boolean {
  if (given === undefined) return false;
  try {
    return weakGenerations(isMasterKeys(given) ? given : readFileSync(given, 'utf8')).length > 0;
  } catch {
    return false;
  }
}

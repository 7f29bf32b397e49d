import type { LookupAddress } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

type Names = ReadonlyMap<string, readonly LookupAddress[]>;

/** Addresses of a name in a hosts file (hosts(5)); undefined if it has none, or does not exist. */
export function hostsFile(path: string): (hostname: string) => readonly LookupAddress[] | undefined {
  let names: Names = new Map();
  let readAt: number | undefined;

  return (hostname) => {
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt !== readAt) names = changedAt === undefined ? new Map() : namesIn(readFileSync(path, 'utf8'));
    readAt = changedAt; // containers are given names while they run, and lists of blocked hosts are long
    return names.get(hostname.toLowerCase());
  };
}

function namesIn(text: string): Names {
  const names = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...itsNames] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of itsNames.map((each) => each.toLowerCase())) {
      const known = names.get(name) ?? [];
      if (!known.some((each) => each.address === address)) names.set(name, [...known, { address, family }]);
    }
  }
  return names;
}

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type AdminKey, type AdminKeys, adminRoles } from '../../access/admin-keys.js';
import { describeReadError, printablePath } from '../../access/keys/key-files.js';
import type { ConfiguredKeys } from '../../access/keys/service-keys.js';
import { setting } from './schema.js';

const minKeyLength = 16;

/**
 * `ADMIN_KEYS` holds `name:key` (an owner's) and `name:role:key`, separated by commas, or is the name of a file with
 * one on each line.
 */
export const keys = z
  .object({
    signingKeys: setting('SIGNING_KEYS'),
    masterKeys: setting('MASTER_KEYS'),
    several: setting('ADMIN_KEYS'),
    single: setting('ADMIN_KEY'),
  })
  .transform(({ several, single, ...given }, { addIssue }): ConfiguredKeys => {
    const adminKeys = new Map<string, AdminKey>();
    const reject = (setting: 'several' | 'single', message: string) =>
      addIssue({ code: 'custom', path: [setting], message });
    const add = (setting: 'several' | 'single', name: string, text: string) => {
      const { role, key } = withRole(text);
      const problem = problemOf(name, role, key, text) ?? (adminKeys.has(name) ? `names ${name} twice` : undefined);
      if (problem !== undefined) reject(setting, problem);
      else if (role !== undefined) adminKeys.set(name, { role, key });
    };
    const adminKeyFile = several?.includes(':') ? undefined : several; // each entry has a colon
    try {
      for (const entry of entriesOf(several, adminKeyFile)) {
        const colon = entry.indexOf(':');
        add('several', entry.slice(0, Math.max(colon, 0)), entry.slice(colon + 1));
      }
    } catch (error) {
      const reason = describeReadError(error, printablePath(adminKeyFile ?? ''));
      reject('several', `must be name:key pairs or the name of a file with them, but ${reason}`);
    }
    if (single !== undefined) add('single', 'admin', single);
    const found: AdminKeys | undefined = adminKeys.size > 0 ? adminKeys : undefined;
    return { ...given, adminKeys: found, adminKeyFile };
  });

function problemOf(name: string, role: AdminKey['role'] | undefined, key: string, text: string): string | undefined {
  if (!/^[\w.@-]{1,64}$/.test(name))
    return 'must be name:key or name:role:key, a name being letters, digits and . _ @ -';
  if (adminRoles.some((each) => each === name) && !/^[A-Za-z]{1,16}:/.test(text))
    return `must name the holder of the key before the role: name:${name}:key`;
  if (role === undefined) return `must name a role of ${adminRoles.join(', ')} for ${name}`;
  if (!/^[\x21-\x7e]*$/.test(key)) return 'must hold keys without blanks, in ASCII';
  if (key.length < minKeyLength) return `must hold keys of at least ${minKeyLength} characters`;
  return undefined;
}

function entriesOf(several: string | undefined, file: string | undefined): readonly string[] {
  const parts = file === undefined ? several?.split(',') : readFileSync(file, 'utf8').split('\n');
  return (parts ?? []).map((part) => part.trim()).filter((part) => part !== '');
}

/** Role and key; an owner's key without a role, undefined for an unknown role. */
function withRole(text: string): { role: AdminKey['role'] | undefined; key: string } {
  const [, word, key] = /^([A-Za-z]{1,16}):(.*)$/.exec(text) ?? [];
  if (word === undefined || key === undefined) return { role: 'owner', key: text };
  return { role: adminRoles.find((role) => role === word), key };
}

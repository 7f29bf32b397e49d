import { readFileSync } from 'node:fs';
import { type AdminKey, type AdminKeys, adminRoles } from '../../access/admin-keys.js';
import { describeReadError, printablePath } from '../../access/keys/key-files.js';
import type { SettingsReader } from './settings.js';

const minKeyLength = 16;

/**
 * `ADMIN_KEYS` holds `name:key` (an owner's) and `name:role:key`, separated by commas, or is the name of a file with
 * one on each line. Undefined if there are none.
 */
export function readAdminKeys(settings: SettingsReader): AdminKeys | undefined {
  const keys = new Map<string, AdminKey>();
  const add = (setting: string, name: string, text: string) => {
    const { role, key } = withRole(text);
    if (!/^[\w.@-]{1,64}$/.test(name))
      settings.reject(setting, 'must be name:key or name:role:key, a name being letters, digits and . _ @ -');
    else if (adminRoles.some((each) => each === name) && !/^[A-Za-z]{1,16}:/.test(text))
      settings.reject(setting, `must name the holder of the key before the role: name:${name}:key`);
    else if (role === undefined) settings.reject(setting, `must name a role of ${adminRoles.join(', ')} for ${name}`);
    else if (!/^[\x21-\x7e]*$/.test(key)) settings.reject(setting, 'must hold keys without blanks, in ASCII');
    else if (key.length < minKeyLength)
      settings.reject(setting, `must hold keys of at least ${minKeyLength} characters`);
    else if (keys.has(name)) settings.reject(setting, `names ${name} twice`);
    else keys.set(name, { role, key });
  };
  for (const entry of entriesOf(settings)) {
    const colon = entry.indexOf(':');
    add('ADMIN_KEYS', entry.slice(0, Math.max(colon, 0)), entry.slice(colon + 1));
  }
  const single = settings.text('ADMIN_KEY');
  if (single !== undefined) add('ADMIN_KEY', 'admin', single);
  return keys.size > 0 ? keys : undefined;
}

/** A text with a colon is no name of a file: each entry has one. */
export function adminKeyFile(settings: SettingsReader): string | undefined {
  const given = settings.text('ADMIN_KEYS');
  return given?.includes(':') ? undefined : given;
}

function entriesOf(settings: SettingsReader): readonly string[] {
  const file = adminKeyFile(settings);
  if (file === undefined) return settings.list('ADMIN_KEYS');
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (error) {
    const reason = describeReadError(error, printablePath(file));
    settings.reject('ADMIN_KEYS', `must be name:key pairs or the name of a file with them, but ${reason}`);
    return [];
  }
}

/** Role and key; an owner's key without a role, undefined for an unknown role. */
function withRole(text: string): { role: AdminKey['role'] | undefined; key: string } {
  const [, word, key] = /^([A-Za-z]{1,16}):(.*)$/.exec(text) ?? [];
  if (word === undefined || key === undefined) return { role: 'owner', key: text };
  return { role: adminRoles.find((role) => role === word), key };
}

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from '../failure.js';

type Profile = { url: string; key: string };

export type Profiles = {
  /** Name of the profile of the last login. */
  current?: string;
  profiles: Readonly<Record<string, Profile>>;
};

/** XDG Base Directory Specification: an empty or relative path counts as none. */
function profilesFile(environment: NodeJS.ProcessEnv): string {
  const configured = environment.XDG_CONFIG_HOME;
  const base = configured?.startsWith('/') ? configured : join(environment.HOME || homedir(), '.config');
  return join(base, 'flow-hooks', 'profiles.json');
}

/** Throws `UsageError` if the file cannot be used. */
export function readProfiles(environment: NodeJS.ProcessEnv): Profiles {
  const file = profilesFile(environment);
  try {
    const { current, profiles } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Profiles>;
    if (typeof profiles !== 'object' || profiles === null) throw new Error('it holds no profiles');
    return { current, profiles };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw new UsageError(`${file} cannot be used: ${(error as Error).message}`);
  }
}

/** Only the user can read the file. Written beside it and renamed: a crash leaves the former one. */
export function writeProfiles(environment: NodeJS.ProcessEnv, profiles: Profiles): string {
  const file = profilesFile(environment);
  const written = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(written, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  renameSync(written, file);
  return file;
}

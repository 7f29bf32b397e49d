import { UsageError } from '../failure.js';
import { readProfiles } from './profiles.js';

/** A service, which is operated through its admin API. */
export type Remote = {
  /** URL without a slash at the end. */
  url: string;
  key: string;
  /** The profile that names it, if the command line and the environment do not. */
  profile?: string;
};

export type TargetOptions = { url?: string; key?: string; profile?: string };

export type Target = {
  /** Undefined: the stores of this machine. */
  remote: Remote | undefined;
  /** The options or variables that name the service: a command for the stores refuses them. */
  namedBy: string | undefined;
};

/**
 * The service that a command works on: of the options, else of the environment, else of the last `login`. `--data-dir`, and settings
 * that name stores, come before the login. Throws `UsageError`.
 */
export function targetOf(options: TargetOptions, hasDataDirectory: boolean, environment: NodeJS.ProcessEnv): Target {
  const url = options.url ?? given(environment.FLOW_HOOKS_URL);
  const profile = options.profile ?? given(environment.FLOW_HOOKS_PROFILE);
  if (options.url !== undefined && options.profile !== undefined)
    throw new UsageError('--url and --profile exclude each other');
  if (options.url === undefined && options.profile === undefined && hasDataDirectory) {
    if (options.key !== undefined) throw keyWithoutService();
    return stores;
  }
  if (options.profile !== undefined || (url === undefined && profile !== undefined))
    return {
      remote: profileNamed(profile ?? '', options.key, environment),
      namedBy: options.profile === undefined ? 'FLOW_HOOKS_PROFILE' : '--profile',
    };
  if (url !== undefined)
    return {
      remote: byUrl(url, options, environment),
      namedBy: options.url === undefined ? 'FLOW_HOOKS_URL' : '--url',
    };
  if (options.key !== undefined) throw keyWithoutService();
  if (storeSettings.some((name) => given(environment[name]) !== undefined)) return stores;
  const { current } = readProfiles(environment);
  if (current === undefined) return stores;
  return { remote: { ...profileNamed(current, undefined, environment), profile: current }, namedBy: undefined };
}

const keyWithoutService = () => new UsageError('--key is for a service that --url or a profile names');

const stores: Target = { remote: undefined, namedBy: undefined };
const storeSettings = ['DATA_DIR', 'EVENTSTOREDB_URL', 'MONGODB_URL'];

const given = (text: string | undefined): string | undefined => (text?.trim() ? text.trim() : undefined);

function byUrl(url: string, { key: optionKey }: TargetOptions, environment: NodeJS.ProcessEnv): Remote {
  const address = serviceUrl(url);
  const known = Object.values(readProfiles(environment).profiles).find((profile) => profile.url === address);
  const key = optionKey ?? given(environment.FLOW_HOOKS_KEY) ?? known?.key;
  if (key === undefined)
    throw new UsageError(`a key for ${address} is needed: flow-hooks login ${address}, --key or FLOW_HOOKS_KEY`);
  return { url: address, key };
}

/** Throws `UsageError` without such a profile. */
export function profileNamed(name: string, key: string | undefined, environment: NodeJS.ProcessEnv): Remote {
  const { profiles } = readProfiles(environment);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined) {
    const names = Object.keys(profiles).sort();
    throw new UsageError(
      `there is no profile ${name}: there ${names.length === 0 ? 'is none' : `are ${names.join(', ')}`}`,
    );
  }
  return { url: profile.url, key: key ?? profile.key };
}

/** The base of the service's URLs, without a slash at the end. Throws `UsageError`. */
export function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new UsageError('the URL of a service must be like https://hooks.example.com, without a user and a password');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

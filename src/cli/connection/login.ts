import { stderr, stdin } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printResult, printRows, printWarning } from '../output.js';
import { readProfiles, writeProfiles } from './profiles.js';
import { tokenPageOf, whoAmI } from './remote-api.js';
import { profileNamed, serviceUrl } from './target.js';

/** Remembers a service and a key that it accepts, as the profile of later commands. */
export async function login(address: string, _: object, { output, targetOptions }: CommandContext): Promise<void> {
  if (targetOptions.url !== undefined) throw new UsageError('login names the service by its argument, without --url');
  const url = serviceUrl(address);
  const key = (targetOptions.key ?? (await keyOfUser(url))).trim();
  if (key === '') throw new UsageError('no key was given: type it, or pass it on standard input');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('a key is text without blanks, in ASCII');
  const { actor, role, scopes } = await whoAmI({ url, key });
  if (role === null && !actor.startsWith('api-key:')) throw new UsageError('this is a token of a user, not a key');
  const name = targetOptions.profile ?? new URL(url).host;
  const { profiles } = readProfiles(process.env);
  const file = writeProfiles(process.env, { current: name, profiles: { ...profiles, [name]: { url, key } } });
  if (url.startsWith('http:') && !/^(localhost|127\.|\[::1\])/.test(new URL(url).hostname))
    printWarning('the key is sent without encryption: use https');
  printResult(
    output,
    { profile: name, url, actor, role, scopes, file },
    `commands are for ${url} now, as ${actor} (${role ?? scopes.join(' ')}), in the profile ${name}; the key is in ${file}`,
  );
}

export async function logout(_: object, { output, targetOptions }: CommandContext): Promise<void> {
  const { current, profiles } = readProfiles(process.env);
  const name = targetOptions.profile ?? current;
  if (name === undefined) throw new UsageError('not logged in: name the profile to forget with --profile');
  const { url } = profileNamed(name, undefined, process.env);
  const { [name]: _forgotten, ...others } = profiles;
  writeProfiles(process.env, { current: name === current ? undefined : current, profiles: others });
  printResult(output, { profile: name, url }, `the key of ${url} is forgotten here`);
}

export async function list(_: object, { output }: CommandContext): Promise<void> {
  const { current, profiles } = readProfiles(process.env);
  const rows = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }));
  printRows(
    output,
    rows,
    { profile: 'name', service: 'url', current: (row) => (row.current ? '*' : '') },
    'there is no profile: flow-hooks login URL makes one',
  );
}

export async function use(name: string, _: object, { output }: CommandContext): Promise<void> {
  const { url } = profileNamed(name, undefined, process.env);
  writeProfiles(process.env, { ...readProfiles(process.env), current: name });
  printResult(output, { profile: name, url }, `commands are for ${url} now`);
}

/** Typed without an echo, or the whole standard input. */
async function keyOfUser(url: string): Promise<string> {
  if (!stdin.isTTY) return text(stdin);
  const tokenPage = await tokenPageOf(url);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: silent, terminal: true });
  const ending = new AbortController();
  terminal.once('SIGINT', () => ending.abort());
  try {
    stderr.write(`Admin key${tokenPage === undefined ? '' : `, or a token from ${tokenPage}`}: `);
    return await terminal.question('', { signal: ending.signal });
  } catch {
    throw new UsageError('no key was typed');
  } finally {
    stderr.write('\n');
    terminal.close();
  }
}

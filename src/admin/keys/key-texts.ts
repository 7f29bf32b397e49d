import { signingKeys } from '../../access/keys/signing-keys.js';

// The texts of key files, changed. They are valid: the keys were read from them.

type JwkSet = { readonly keys: readonly object[] };

/** With another key at the end. */
export function withSigningKey(text: string, key: object): string {
  const set = JSON.parse(text) as JwkSet;
  return jwkSetText({ ...set, keys: [...set.keys, key] });
}

/** Without the key of this thumbprint; unchanged if there is none. */
export async function withoutSigningKey(text: string, thumbprint: string): Promise<string> {
  const { thumbprints } = await signingKeys(text); // in the order of the set
  const set = JSON.parse(text) as JwkSet;
  const keys = set.keys.filter((_, index) => thumbprints[index] !== thumbprint);
  return keys.length === set.keys.length ? text : jwkSetText({ ...set, keys });
}

const jwkSetText = (set: JwkSet): string => `${JSON.stringify(set)}\n`;

/** With another pair in front. */
export const withMasterKey = (text: string, pair: string): string => masterKeysText([pair, ...pairsIn(text)]);

/** Without the key of this generation; unchanged if there is none. */
export function withoutMasterKey(text: string, generation: string): string {
  const pairs = pairsIn(text);
  const rest = pairs.filter((pair) => pair.slice(0, pair.search(/[@:]/)) !== generation);
  return rest.length === pairs.length ? text : masterKeysText(rest);
}

const pairsIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter((pair) => pair !== '');

const masterKeysText = (pairs: readonly string[]): string => `${pairs.join('\n')}\n`;

/** A name for the generation after this one, which was never used: `g1` → `g2`. */
export function nextGeneration(current: string, used: readonly string[]): string {
  const [, name = 'g', number = '1'] = /^(.*?)(\d{1,9})$/.exec(current) ?? [];
  let next = Number(number) + 1;
  while (used.includes(`${name}${next}`)) next += 1;
  return `${name}${next}`;
}

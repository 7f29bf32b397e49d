import type { Environment } from './settings.js';

/** A variable that no setting has for a name, and the setting that is meant. */
export type UnknownSetting = { name: string; suggestion: string | undefined };

/** Beginnings that no other program has for its variables. */
const ours =
  /^(RATE_LIMIT|LOGIN|PORTAL|ALLOWED|ALLOW|CONSOLE|EGRESS|TRUSTED|REFRESH|FAN_OUT|DELIVERY|MASTER|SIGNING|SUBSCRIPTION|LISTENER|PUBLISH)_|^(ADMIN_KEY|AUTO_PAUSE|UNSAFE)/;

/** Kubernetes sets these for each service of a namespace. */
const ofKubernetes = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;

/** Mistyped characters; a short name is near to those of other programs: npm exports `NODE`, which is near to `MODE`. */
const maxDistance = 2;
const minLength = 8;

/** Variables that look like settings of the service. `known`: the names of all settings. */
export function unknownSettings(environment: Environment, known: ReadonlySet<string>): UnknownSetting[] {
  return Object.keys(environment)
    .filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name) && !known.has(name) && !ofKubernetes.test(name))
    .filter((name) => !/^FLOW_HOOKS_/.test(name)) // of the command line
    .flatMap((name) => {
      const [suggestion, distance] = nearest(name, known);
      const isNear = name.includes('_') && name.length >= minLength && distance <= maxDistance;
      if (!isNear && !ours.test(name)) return [];
      return [{ name, suggestion: distance <= name.length / 3 ? suggestion : undefined }];
    });
}

function nearest(name: string, known: ReadonlySet<string>): readonly [string | undefined, number] {
  let best: readonly [string | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const each of known) {
    const distance = editDistance(name, each);
    if (distance < best[1]) best = [each, distance];
  }
  return best;
}

/** Characters to insert, remove or replace (Levenshtein). */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1];
    for (const [column, its] of [...other].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === its ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}

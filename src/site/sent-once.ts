import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PageRequest } from './page-request.js';

/** Answers that may show a new secret are kept as long as a person may send a form again by reloading its answer. */
const keptMs = 10 * 60_000;
const maxKept = 1_000;

/**
 * Runs an action once for each form that carries an ID in the field `once`: the same form, sent again by the same caller to
 * this instance, gets the first answer. A form that was refused, or changed, is another one.
 */
export function sentOnce<Answer extends object>(): (
  at: PageRequest,
  run: (at: PageRequest) => Promise<Answer>,
) => Promise<Answer> {
  const answers = new LRUCache<string, Promise<Answer>>({ max: maxKept, ttl: keptMs });
  return (at, run) => {
    if (at.form.text('once') === undefined) return run(at);
    const { actor, orgId } = at.caller;
    const key = hash('sha256', JSON.stringify([actor, orgId, at.path, at.form.entries()]), 'base64url');
    const known = answers.get(key);
    if (known) return known;
    const answer = run(at);
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
}

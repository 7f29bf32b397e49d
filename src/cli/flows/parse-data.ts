import { readFileSync } from 'node:fs';
import { InvalidRequest } from '../../kernel/domain-error.js';

/** The value of `--data`: JSON, or `-` for standard input. Throws `InvalidRequest`. */
export function parseData(text: string): unknown {
  try {
    return JSON.parse(text === '-' ? readFileSync(0, 'utf8') : text);
  } catch {
    throw new InvalidRequest('--data is not JSON');
  }
}

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createContext, Script } from 'node:vm';
import { LRUCache } from 'lru-cache';

/** Result of an evaluation: the body, or the reason why there is none. */
export type Evaluated = { body: string } | { reason: string; isOverTime?: true };

export type EvaluationLimits = {
  /** Time of one evaluation, with the parsing of a new expression. */
  timeMs: number;
  /** Size of the result as JSON. */
  bytes: number;
  /** Levels of nesting of the result. */
  depth: number;
};

/** Each has its own context, of about a megabyte. */
const maxContexts = 20;

/** JSONata marks its own values by these properties, and takes objects of the data that have them for its own. */
const marks = /\b(?:_jsonata_lambda|_jsonata_function|outerWrapper|tupleStream)\b/g;
/** Added to them, so that no key of the data is one. */
const ownMark = `_${randomUUID().replaceAll('-', '')}`;

/**
 * The context has no `Buffer`, on which two of JSONata's functions depend. `undefined` is no result; functions and
 * numbers that are not finite are not JSON. The answer is a text, so that no object of the context is touched outside.
 */
const prelude = `'use strict';
  globalThis.global = globalThis;
  globalThis.Buffer = { from: function from(text, encoding) {
    return { toString: () => (encoding === 'base64' ? decode64(text) : encode64(text)) };
  } };
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  function encode64(text) {
    let out = '';
    for (let i = 0; i < text.length; i += 3) {
      const [a, b, c] = [text.charCodeAt(i) & 255, text.charCodeAt(i + 1) & 255, text.charCodeAt(i + 2) & 255];
      out += digits[a >> 2] + digits[((a & 3) << 4) | (b >> 4)] + (i + 1 < text.length ? digits[((b & 15) << 2) | (c >> 6)] : '=') +
        (i + 2 < text.length ? digits[c & 63] : '=');
    }
    return out;
  }
  function decode64(text) {
    let [out, bits, size] = ['', 0, 0];
    for (const each of text.replace(/[^A-Za-z0-9+/]/g, '')) {
      bits = ((bits << 6) | digits.indexOf(each)) & 0xffffff;
      size += 6;
      if (size >= 8) { size -= 8; out += String.fromCharCode((bits >> size) & 255); }
    }
    return out;
  }
  const isFunction = (value) => typeof value === 'function' || value?._jsonata_lambda${ownMark} === true || value?._jsonata_function${ownMark} === true;
  function faultOf(value, depth, levels = depth) {
    if (isFunction(value)) return 'its result has a function';
    if (typeof value === 'number' && !Number.isFinite(value)) return 'its result has a number that is not finite';
    if (typeof value !== 'object' || value === null) return undefined;
    if (levels === 0) return 'its result is nested more than ' + depth + ' levels deep';
    for (const each of Object.values(value)) {
      const fault = faultOf(each, depth, levels - 1);
      if (fault !== undefined) return fault;
    }
  }
  function reasonOf(error) {
    const place = typeof error?.position === 'number' ? ' (at character ' + error.position + ')' : '';
    return String(error?.message ?? 'it failed').slice(0, 500) + place;
  }
  function answerOf(result, { bytes, depth }) {
    if (result === undefined) return { reason: 'it has no result' };
    const reason = faultOf(result, depth);
    if (reason !== undefined) return { reason };
    const body = JSON.stringify(result);
    return body.length > bytes ? { reason: 'its result has more than ' + bytes + ' bytes' } : { body };
  }
  let compiled;
  globalThis.evaluate = () => {
    const { expression, body, limits } = JSON.parse(globalThis.input);
    const settle = (answer) => { globalThis.output = JSON.stringify(answer); };
    try {
      compiled ??= jsonata(expression);
      compiled.evaluate(JSON.parse(body)).then(
        (result) => settle(answerOf(result, limits)),
      ).catch((error) => settle({ reason: reasonOf(error) }));
    } catch (error) {
      settle({ reason: reasonOf(error) });
    }
  };`;

const source = readFileSync(createRequire(import.meta.url).resolve('jsonata'), 'utf8').replace(marks, `$&${ownMark}`);
/** JSONata looks for `global` when it is loaded. */
const scripts = [new Script(prelude, { filename: 'prelude.js' }), new Script(source, { filename: 'jsonata.js' })];
/** `evaluate` is looked up anew: what an expression may have put in its place is of its own context only. */
const run = new Script('evaluate()');

type Sandbox = { input?: string; output?: string };

/**
 * Evaluates expressions, each in a context without `process`, modules, network or code generation. The time limit
 * includes promises.
 */
export function evaluator(limits: EvaluationLimits): (expression: string, body: string) => Evaluated {
  const sandboxes = new LRUCache<string, Sandbox>({ max: maxContexts });

  function sandboxOf(expression: string): Sandbox {
    const known = sandboxes.get(expression);
    if (known) return known;
    const sandbox = createContext(Object.create(null), {
      codeGeneration: { strings: false, wasm: false },
      microtaskMode: 'afterEvaluate',
    }) as Sandbox; // it has no prototype, and gets these two fields
    for (const script of scripts) script.runInContext(sandbox, { timeout: limits.timeMs });
    sandboxes.set(expression, sandbox);
    return sandbox;
  }

  return (expression, body) => {
    try {
      const sandbox = sandboxOf(expression);
      sandbox.input = JSON.stringify({ expression, body, limits });
      sandbox.output = '';
      run.runInContext(sandbox, { timeout: limits.timeMs });
      return evaluatedOf(sandbox.output, limits);
    } catch (error) {
      sandboxes.delete(expression); // whatever state it was interrupted in
      const isOverTime = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      return isOverTime ? { reason: `it takes longer than ${limits.timeMs} ms`, isOverTime } : { reason: 'it failed' };
    }
  };
}

function evaluatedOf(output: unknown, { bytes }: EvaluationLimits): Evaluated {
  if (typeof output !== 'string' || output === '') return { reason: 'it has no result' };
  const { body, reason } = JSON.parse(output) as { body?: unknown; reason?: unknown };
  if (typeof body !== 'string') return { reason: String(reason) };
  return Buffer.byteLength(body) > bytes ? { reason: `its result has more than ${bytes} bytes` } : { body };
}

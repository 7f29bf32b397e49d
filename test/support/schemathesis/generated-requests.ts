import { expect } from 'chai';
import type { ServiceProcess } from '../service/service.js';
import { type FuzzSettings, fuzzConfiguration } from './configuration.js';
import { runSchemathesis } from './run-schemathesis.js';

export type GeneratedRequests = {
  /** Sends them, and fails if an answer is not as described, or if the service logs a failure. `args`: of `st run`. */
  send: (service: ServiceProcess, settings: FuzzSettings, ...args: readonly string[]) => Promise<void>;
  /** Number of requests, and their duration. */
  summary: () => string;
};

export function generatedRequests(): GeneratedRequests {
  let cases = 0;
  let seconds = 0;
  return {
    async send(service, settings, ...args) {
      const startedAt = performance.now();
      const run = await runSchemathesis(service.origin, fuzzConfiguration(settings), ...args);
      cases += run.cases;
      seconds += (performance.now() - startedAt) / 1_000;
      expect(run.passed, run.printed).to.equal(true);
      expect(run.cases).to.be.above(0);
      expect(failuresIn(service)).to.deep.equal([]);
    },
    summary: () => `schemathesis: ${cases} cases in ${Math.round(seconds)} s`,
  };
}

/** Failures that the service has logged: a 500 that the specification requires is none. */
const failuresIn = (service: ServiceProcess): readonly string[] =>
  service
    .printed()
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line));

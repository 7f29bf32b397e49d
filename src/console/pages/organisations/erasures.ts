import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { eraseOrganisationRoute } from '../../../admin/api/contracts/organisations.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { DomainError } from '../../../kernel/domain-error.js';

type Erased = RouteAnswer<typeof eraseOrganisationRoute>;

/** An erasure that this process runs or has run. It does not keep the name of the organisation. */
export type Erasure = {
  startedAt: Date;
  /** Undefined while it is running. */
  result?: { endedAt: Date } & ({ erased: Erased } | { failure: string });
};

export type Erasures = {
  /** Returns the ID of the erasure; rejects if it is refused within moments. */
  start: (erasing: Promise<Erased>) => Promise<string>;
  find: (id: string) => Erasure | undefined;
};

/** Time within which an erasure is refused that is not permitted. */
const refusalMs = 100;
/** Results are kept until there are more. */
const maxKept = 100;

/** The erasures of this process, which last longer than a browser waits for an answer. */
export function erasures(log: Logger): Erasures {
  const known = new Map<string, Erasure>();

  function keep(id: string, erasure: Erasure): void {
    known.set(id, erasure);
    const [oldest] = known.keys();
    if (known.size > maxKept && oldest !== undefined) known.delete(oldest);
  }

  return {
    async start(erasing) {
      const id = randomUUID();
      const startedAt = new Date();
      let hasBegun = false;
      const ended = erasing.then(
        (erased) => keep(id, { startedAt, result: { endedAt: new Date(), erased } }),
        (error: unknown) => {
          if (!hasBegun) {
            known.delete(id);
            throw error;
          }
          log.error({ err: error }, 'an organisation could not be erased completely');
          keep(id, { startedAt, result: { endedAt: new Date(), failure: failureOf(error) } });
        },
      );
      keep(id, { startedAt });
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, refusalMs))]);
      hasBegun = true;
      return id;
    },
    find: (id) => known.get(id),
  };
}

const failureOf = (error: unknown): string =>
  error instanceof DomainError ? `${error.message}.` : 'the service failed; its log has the details.';

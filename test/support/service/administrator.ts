import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningService } from './service.js';

type Answer = ReturnType<RunningService['fetch']>;

/** Holder of the admin key of a service in development mode. */
export type Administrator = {
  get: (path: string) => Answer;
  /** Posts; without `json` there is no body. */
  post: (path: string, json?: object) => Answer;
  /** `GET /api/events`. */
  events: (query: string) => Answer;
};

/** Paths begin after `/admin/api`. The service is asked for at each request: a test may exchange it. */
export function administratorOf(service: () => RunningService): Administrator {
  const headers = () => ({
    authorization: `Bearer ${readFileSync(join(service().dataDirectory, 'admin-key.txt'), 'utf8').trim()}`,
  });
  return {
    get: (path) => service().fetch(`/admin/api${path}`, { headers: headers() }),
    events: (query) => service().fetch(`/api/events?${query}`, { headers: headers() }),
    post: (path, json) =>
      service().fetch(`/admin/api${path}`, { method: 'POST', headers: headers(), ...(json && { json }) }),
  };
}

import { randomUUID } from 'node:crypto';
import { type RunningService, type ServiceProcess, startService } from './service.js';

export type SharedService = RunningService & { orgId: string };

const started = new Map<string, Promise<ServiceProcess>>();

/** The service of this test process with these settings: journeys share it until the process ends, each in its own organisation. */
export async function sharedService(environment: Readonly<Record<string, string>> = {}): Promise<SharedService> {
  const settings = JSON.stringify(environment);
  const starting = started.get(settings) ?? startService({ environment });
  started.set(settings, starting);
  const { stop: _, ...service } = await starting;
  return { ...service, orgId: organisation() };
}

/** A name that no other journey uses. */
export const organisation = (name = 'acme'): string => `${name}-${randomUUID().slice(0, 8)}`;

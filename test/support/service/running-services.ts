/** Service whose output a failing test prints. */
export type WatchedService = {
  pid: number;
  origin: string;
  printed: () => string;
  isRunning: () => boolean;
};

/** Services of the current test, also when they have ended: its last output may show the reason. */
const watched = new Set<WatchedService>();

export const watchService = (service: WatchedService): void => void watched.add(service);

export function forgetEnded(): void {
  for (const service of watched) if (!service.isRunning()) watched.delete(service);
}

const answerLimitMs = 2_000;
const lastLines = 30;
const longestLine = 600;

/** A line for each service that runs and is not ready: what it answers to `GET /readyz`. */
export async function notReady(): Promise<readonly string[]> {
  const lines = await Promise.all(
    [...watched]
      .filter(({ isRunning }) => isRunning())
      .map(async ({ pid, origin }) => {
        const said = await readyz(origin).catch((error: unknown) => `/readyz: ${error}`);
        return said === undefined ? [] : [`the service ${pid} is not ready: ${said}`];
      }),
  );
  return lines.flat();
}

async function readyz(origin: string): Promise<string | undefined> {
  const answer = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(answerLimitMs) });
  const text = await answer.text();
  return answer.ok ? undefined : text;
}

/** Last output of each service. */
export const lastPrinted = (): readonly string[] =>
  [...watched].map(({ pid, origin, printed, isRunning }) => {
    const lines = printed().trimEnd().split('\n').slice(-lastLines);
    const state = isRunning() ? 'running' : 'ended';
    return [`--- the service ${pid} at ${origin} (${state}) printed last:`, ...lines.map(cut)].join('\n');
  });

const cut = (line: string): string => (line.length > longestLine ? `${line.slice(0, longestLine)} …` : line);

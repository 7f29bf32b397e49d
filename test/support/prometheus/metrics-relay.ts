import { serve } from '../serve.js';

export type MetricsRelay = {
  /** Host with its port, as Prometheus takes it. */
  host: string;
  /** Gives the series this value from now on. */
  change: (series: string, value: number) => void;
  close: () => Promise<unknown>;
};

/** Stands between Prometheus and a service, which may be started again elsewhere: hands on its metrics, with single values changed. */
export async function startMetricsRelay(origin: () => string): Promise<MetricsRelay> {
  const changes = new Map<string, number>();
  const server = await serve(async (answer) => {
    try {
      const metrics = await fetch(`${origin()}/metrics`);
      const lines = (await metrics.text()).split('\n').map((line) => {
        const series = line.slice(0, line.lastIndexOf(' '));
        return changes.has(series) ? `${series} ${changes.get(series)}` : line;
      });
      answer.setHeader('content-type', metrics.headers.get('content-type') ?? '').end(lines.join('\n'));
    } catch {
      answer.destroy(); // as the service itself would while it is down
    }
  });
  return {
    host: new URL(server.origin).host,
    change: (series, value) => void changes.set(series, value),
    close: server.close,
  };
}

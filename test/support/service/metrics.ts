import type { ServiceProcess } from './service.js';

/** A scrape: the value of each sample, by its name and labels as they were sent. Throws where a line is none of the format. */
export async function scrape(service: Pick<ServiceProcess, 'origin'>): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${service.origin}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
  const samples = new Map<string, number>();
  for (const line of (await response.text()).split('\n')) {
    if (line === '' || line.startsWith('# HELP ') || line.startsWith('# TYPE ')) continue;
    const [, name, value] = /^([a-z_:][\w:]*(?:\{.*\})?) (\S+)$/i.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
    samples.set(name, Number(value.replace('Inf', 'Infinity')));
  }
  return samples;
}

import type { Administrator } from '../../service/administrator.js';
import type { ExampleData } from './example-data.js';

export type PageToShow = {
  /** Of the file, without the colour scheme. */
  readonly name: string;
  readonly path: string;
  readonly width?: number;
  readonly height?: number;
};

const phone = { width: 390, height: 844 };

/** Every page, in the order of the navigation. */
export async function pages(data: ExampleData, _administrator: Administrator): Promise<readonly PageToShow[]> {
  return [
    { name: 'overview', path: '/console', height: 1_100 },
    { name: 'overview-phone', path: '/console', ...phone },
    { name: 'hooks', path: '/console/hooks?orgId=acme' },
    { name: 'hook', path: `/console/hooks/${data.listenerId}`, height: 1_400 },
    { name: 'hook-phone', path: `/console/hooks/${data.listenerId}`, ...phone },
    { name: 'deliveries', path: '/console/deliveries?orgId=acme' },
    { name: 'health', path: '/console/health' },
  ];
}

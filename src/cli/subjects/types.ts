import {
  changeEventTypeRoute,
  declareEventTypeRoute,
  listEventTypesRoute,
  retireEventTypeRoute,
  showEventTypeRoute,
} from '../../admin/api/contracts/event-types.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import type { Given, Subject } from '../route-command.js';

const args = { name: 'type' };

const definition = {
  args,
  texts: {
    name: 'the type of the flow events, such as order.paid',
    description: 'what has happened, for users who choose a trigger',
    schema: 'JSON Schema (draft 2020-12) of the data; null: none',
    example: 'an example of the data; null: none',
    searchable: 'values by which flow events are found, such as data.number,data.email',
  },
  /** Paths are separated by commas, or given one by one. */
  send: ({ searchable, ...given }: Given): Given => ({
    ...given,
    searchable: (searchable as readonly string[] | undefined)?.flatMap((paths) => paths.split(',')).filter(Boolean),
  }),
};

const says = ({ name, state, version, changed }: RouteAnswer<typeof changeEventTypeRoute>): string =>
  changed.length === 0 ? 'nothing changed' : `${name} is ${state}, version ${version}`;

export function addCommands({ add }: Subject): void {
  add('add', declareEventTypeRoute, {
    about: 'declares a type, or one that was retired again',
    ...definition,
    says,
  });
  add('change', changeEventTypeRoute, {
    about: 'makes the next version of a type; what is not given stays as it is',
    ...definition,
    says,
  });
  add('list', listEventTypesRoute, {
    about: 'lists the declared types',
    columns: {
      type: 'name',
      version: 'version',
      schema: ({ schema }) => (schema === null ? 'none' : 'yes'),
      example: ({ example }) => (example === null ? 'none' : 'yes'),
      searchable: ({ searchable }) => searchable.join(','),
      description: 'description',
    },
    none: 'no event type is declared',
  });
  add('show', showEventTypeRoute, {
    about: 'shows a type with its schema and example, also one that was retired',
    args,
    says: (type) => JSON.stringify(type),
  });
  add('retire', retireEventTypeRoute, {
    about: 'offers and checks a type no more; its flow events can still be published',
    args,
    says,
  });
}

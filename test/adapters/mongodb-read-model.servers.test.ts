import { openMongoReadModel } from '../../src/views/mongodb/mongodb-read-model.js';
import { readModelContract } from '../contract/read-model.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';

onMongoDb('the read model', ({ database }) =>
  readModelContract('MongoDB', (place) => openMongoReadModel(database(place)), { terms: true }),
);

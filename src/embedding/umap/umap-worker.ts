/** The thread that lays landmarks out and finds places for others beside them. */

import { parentPort, workerData } from 'node:worker_threads';
import { LandmarkPlaces } from './landmark-places.ts';
import { rowsOf } from './nearest-rows.ts';
import { planeOf } from './plane-of-landmarks.ts';
import type { FromLayout, LandmarkData } from './umap-layout.ts';

const { values, dimensions, positions: known } = workerData as LandmarkData;
const tell = (message: FromLayout): void => parentPort?.postMessage(message);

const landmarks = rowsOf(values, dimensions);
const positions = known ?? planeOf(landmarks, (progress) => tell({ progress }));
const places = new LandmarkPlaces(landmarks, positions);
parentPort?.on('message', (others: Float32Array) => tell({ positions: places.place(rowsOf(others, dimensions)) }));
tell({ positions });

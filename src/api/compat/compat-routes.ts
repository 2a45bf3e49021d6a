import type { FastifyPluginAsync } from 'fastify';
import type { ApiParts } from '../api-parts.ts';
import type { CompatParts } from './compat-parts.ts';
import { rememberInstances } from './item-of.ts';
import { nemoGymRoutes } from './nemo-gym.ts';
import { openenvRoutes } from './openenv.ts';
import { openrlhfRoutes } from './openrlhf.ts';
import { rememberSiblings } from './plain-reward.ts';
import { sandboxFusionRoutes } from './sandbox-fusion.ts';
import { slimeRoutes } from './slime.ts';

/** The wire formats of trainers that speak to a reward server of their own kind, each as its client expects it. */
export const compatRoutes: FastifyPluginAsync<ApiParts> = async (app, parts) => {
  const compat: CompatParts = { parts, drawn: rememberInstances(), siblings: rememberSiblings() };
  for (const routes of ROUTES) await app.register(routes, compat);
};

const ROUTES = [openrlhfRoutes, slimeRoutes, nemoGymRoutes, sandboxFusionRoutes, openenvRoutes];

/** Before any schema is made: Zod would try whether it may compile code, and the Content-Security-Policy reports that. */

import { config } from 'zod';

config({ jitless: true });

-- A process that only takes hand-ins in is entered too, but works on nothing.
ALTER TABLE workers ADD COLUMN grades boolean NOT NULL DEFAULT true;

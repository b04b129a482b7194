-- Who said it, by name. By words such as ·anna the text index tells whether anybody of that name has said anything.
ALTER TABLE entries ADD COLUMN speaker TEXT;

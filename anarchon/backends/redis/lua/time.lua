-- Tells the store's clock.

return reply({})
